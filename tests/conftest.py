"""Settings for all tests: the same examples on every run, unless asked to explore."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A run that fails must fail again on the next machine. To look for new examples: HYPOTHESIS_PROFILE=explore.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
