"""Public datasets: found in a mirror or downloaded, and checked."""
