# SPDX-License-Identifier: Apache-2.0
"""All programs."""

import fluids
import gaussian
import graphs
import images
import language

PROGRAMS = {
    program.name: program
    for module in (images, language, graphs, gaussian, fluids)
    for program in module.PROGRAMS
}
