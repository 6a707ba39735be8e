# SPDX-License-Identifier: Apache-2.0
"""The merge-on-read benchmark: `./dev bench mor`. See bench/README.md."""
