# SPDX-License-Identifier: Apache-2.0
"""One program a peer: a line of JSON in, a line of JSON out (protocol.py)."""
