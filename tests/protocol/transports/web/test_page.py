"""The files of the page as they are served."""

from protocol.transports.web.page import drop_documentation, read_page

SCRIPT = b"""/** What it is. */

/**
 * Add.
 *
 * @param {number} one
 */
export function add(one) {
  const more = /** @type {any} */ (one); // a /** in a comment
  /** @type {any} */ (more).call();
  return `/** text */ ${more}`; /** @type {any} */
}
"""


def test_scripts_are_served_without_their_documentation_and_with_all_lines():
    served = drop_documentation(SCRIPT)
    assert b"What it is" not in served
    assert b"@param" not in served
    assert b"const more = /** @type {any} */ (one); // a /** in a comment" in served
    assert b"/** @type {any} */ (more).call();" in served
    assert b"return `/** text */ ${more}`;" in served
    assert served.count(b"\n") == SCRIPT.count(b"\n")


def test_all_that_the_index_names_is_served():
    page = read_page()
    names = {part.split(b'"')[0].decode() for part in page["index.html"].data.split(b'"/page/')[1:]}
    assert names
    assert names <= set(page)
