# SPDX-License-Identifier: MIT
# pragma version 0.4.3
"""
@notice Passes calls on, as a wallet contract or a relayer does; also from its constructor, when it has no code yet.
"""


@deploy
def __init__(target: address, data: Bytes[100]):
    if target != empty(address):
        raw_call(target, data)


@external
def pass_on(target: address, data: Bytes[100]):
    raw_call(target, data)
