# SPDX-License-Identifier: Apache-2.0
"""How a user chooses the platform; each in a process of its own."""

from child import output_of

SHOW = """
import jax
print(jax.jit(lambda x: x * 2 + 1)(jax.numpy.arange(4.)))
array = jax.numpy.arange(jax.device_count())
print(jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(array))
print(jax.default_backend(), jax.devices())
"""
ONE = "import jax; print(jax.numpy.add(1, 1), jax.default_backend())"


def test_jax_platforms_variable(platform):
    lines, errors = output_of(SHOW, platform)
    assert lines[:2] == ["[1. 3. 5. 7.]", "[0]"]
    assert lines[2].startswith(f"{platform} [")
    assert "configuration error" not in errors, errors


def test_jax_platforms_setting(platform):
    code = f"import jax; jax.config.update('jax_platforms', {platform!r})\n" + ONE
    assert output_of(code, None)[0] == [f"2 {platform}"]


def test_priority(platform):
    assert output_of(ONE, None)[0] == [f"2 {platform}"]


def test_cpu_is_left_alone():
    lines, errors = output_of(ONE, "cpu")
    assert lines == ["2 cpu"]
    assert errors == ""
