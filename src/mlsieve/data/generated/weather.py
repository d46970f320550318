"""A small dataset to try commands on: days, what was measured, and what the weather was."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset

MONTHS = ("spring", "summer", "autumn", "winter")


def weather(n_rows: int = 120) -> Dataset:
    """Return days with five numeric features and a nominal one, some cells missing, and three labels.

    Labels follow from `pressure` (sunny, rainy), `humidity` (rainy) and `wind_speed` (windy); `temperature`
    and `season` go along with sunny days, and `station` has no influence.

    Parameters
    ----------
    n_rows : int
    """
    random = np.random.Generator(np.random.Philox(20))
    pressure, humidity = random.normal(1013, 9, n_rows), random.uniform(20, 100, n_rows)
    wind_speed = random.gamma(3, 4, n_rows)
    season = random.integers(0, len(MONTHS), n_rows)
    sunny = pressure + random.normal(0, 3, n_rows) > 1014
    rainy = (humidity + random.normal(0, 6, n_rows) > 65) & (pressure < 1018)
    windy = wind_speed + random.normal(0, 1.5, n_rows) > 13
    temperature = 9 + 8 * np.cos((season - 1) * np.pi / 2) + 3 * sunny + random.normal(0, 3, n_rows)
    station = random.uniform(0, 1, n_rows)
    X = np.column_stack([np.round(c, 1) for c in (pressure, humidity, wind_speed, temperature)])
    X = np.column_stack([X, season, np.round(station, 2)])
    X[random.integers(0, n_rows, 6), random.integers(0, 4, 6)] = np.nan
    return Dataset(
        name="mydata",
        X=np.ascontiguousarray(X),
        Y=sp.csr_array(np.column_stack([sunny, rainy, windy]).astype(np.uint8)),
        train_mask=np.ones(n_rows, bool),
        nominal=np.array([False, False, False, False, True, False]),
        categories=((), (), (), (), MONTHS, ()),
        feature_names=("pressure", "humidity", "wind_speed", "temperature", "season", "station"),
        label_names=("sunny", "rainy", "windy"),
        official_split=False,
    )
