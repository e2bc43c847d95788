"""Matches that tests of the public API analyse and send."""

import gammond

ANALYSED_SGF = b"""(;FF[4]GM[6]MI[length:5][game:0][ws:1][bs:2]PW[ann]PB[bob]RU[Crawford]RE[W+2R]C[a comment]
;B[31qtst]C[good]
;W[64xn]
;XJ[W1]
;B[double]
;W[take]
;B[65aggl])"""
"""With plays, a double, a resignation that was rejected and one that was accepted."""

ANALYSED_MATCH = gammond.read_match(ANALYSED_SGF)
