"""What every figure has to fulfil: no text meets another, or leaves the picture."""

import itertools

from matplotlib.text import Text


def boxes(figure):
    """Return the boxes of all texts, in pixels."""
    renderer = figure.canvas.get_renderer()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    drawn = []
    for text in texts:
        box = text.get_window_extent(renderer)
        if box.width and box.height:
            drawn.append((text.get_text(), box))
    return drawn


def assert_nothing_overlaps(figure):
    """Check texts against each other and the edges of the figure."""
    figure.draw_without_rendering()
    found = boxes(figure)
    for (one, a), (other, b) in itertools.combinations(found, 2):
        apart = a.x1 <= b.x0 + 0.5 or b.x1 <= a.x0 + 0.5 or a.y1 <= b.y0 + 0.5 or b.y1 <= a.y0 + 0.5
        assert apart, f"{one!r} meets {other!r}"
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in found:
        assert box.x0 >= -0.5 and box.y0 >= -0.5 and box.x1 <= width + 0.5 and box.y1 <= height + 0.5, text
