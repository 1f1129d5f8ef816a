"""Refuses what stands where data should be: a pointer of Git LFS, or a page of the web.

Each has the name of the file that is wanted, so that any reader would call that file damaged.
"""

import codecs
import re
from pathlib import Path

from tracker.errors import InputRefused

_LFS = b"version https://git-lfs.github.com/spec/v1"
# A page may begin with a declaration of XML or with comments.
_PAGE = re.compile(rb"\s*(<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(!doctype\s+html|html)\b", re.I | re.S)
_HEAD_BYTES = 1024


def refuse(path: Path) -> None:
    """Raise InputRefused if a file is not the data but what a server or Git left in their place."""
    try:
        with path.open("rb") as handle:
            head = handle.read(_HEAD_BYTES)
    except OSError as error:
        raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
    if head.startswith(_LFS):
        raise InputRefused(f"{path.name}: is a Git LFS pointer, not the data; run git lfs pull")
    if _PAGE.match(head.removeprefix(codecs.BOM_UTF8)):
        raise InputRefused(
            f"{path.name}: is a web page (HTML), not the data, as a login or an error page is; "
            "download the file itself"
        )
