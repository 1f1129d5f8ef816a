"""The one form in which names compare, in Python and in DuckDB.

Names are equal if they differ only in case, white space, the encoding of accents, the kind of
apostrophe, quotation mark or dash, or invisible characters (docs/metrics.md#folding). SQL folds
plain ASCII; each of the few other names goes through Python once.
"""

import functools
import re
import unicodedata

import sqlalchemy as sa
from sqlalchemy import Connection, TextClause

from tracker import temp_tables

# What word processors, spreadsheets and web pages write for a mark on the keyboard. U+0091 to
# U+0097 appear where Windows-1252 was read as ISO 8859-1.
_MARKS = {
    "'": "\u0060\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201a\u201b\u2032\u2035\u0091\u0092",
    '"': "\u201c\u201d\u201e\u201f\u2033\u2036\u0093\u0094",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\u0096\u0097",
}
# East Asian full-width forms of the characters of ASCII.
_FULL_WIDTH = range(0xFF01, 0xFF5F)
# Unicode's Default_Ignorable_Code_Point: the soft hyphen, zero-width characters, the controls of
# writing direction, variation selectors; and the controls of ASCII that are not white space.
_UNSEEN = (
    (0x00, 0x08),
    (0x0E, 0x1B),
    (0x7F, 0x7F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_MARK_OF = {given: mark for mark, others in _MARKS.items() for given in others}
_ASCII_OF = {chr(code): chr(code - 0xFEE0) for code in _FULL_WIDTH}
_ONE_FOR_ANOTHER = _MARK_OF | {wide: _MARK_OF.get(one, one) for wide, one in _ASCII_OF.items()}
_VISIBLE = dict.fromkeys(code for first, last in _UNSEEN for code in range(first, last + 1))
_MARKED = _VISIBLE | str.maketrans(_ONE_FOR_ANOTHER)

# Printable ASCII without the grave accent is plain: lower() folds its case, its only white space is
# the blank, and it has one form of each mark.
_PLAIN = "[ -_a-~]*"
_IS_PLAIN = re.compile(_PLAIN).fullmatch


def fold(name: str) -> str:
    """Return the form in which names compare; empty if the name has no visible character."""
    if _IS_PLAIN(name):
        return " ".join(name.lower().split())
    folded = _folded_once(name)
    # Removing a character can bring a letter and its accent together, which then compose.
    while (again := _folded_once(folded)) != folded:
        folded = again
    return folded


def earlier_fold(name: str) -> str:
    """Return the form of version 0.2.0, which kept kinds of marks and invisible characters."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def shown(name: str) -> str:
    """Return a name or an identifier as written, without invisible characters."""
    return " ".join(name.translate(_VISIBLE).split())


def _folded_once(name: str) -> str:
    return earlier_fold(earlier_fold(name).translate(_MARKED))


def prepare(connection: Connection, names: TextClause | None = None) -> None:
    """Make the macros fold_name, fold_marks and ontology_id usable on the connection.

    fold_name(x) equals fold(x) for plain names and for every value of the one column that `names`
    selects, and is NULL for others. fold_marks(x) equals fold(x) for every x that an earlier
    version folded, but for accents that then compose. ontology_id(x) equals entities.ontology_id(x)
    if x is an identifier; other text, for which that is None, comes back in upper case.
    """
    for statement in macros():
        connection.exec_driver_sql(statement)
    others: list[str] = []
    if names is not None:
        named = names.columns(sa.column("name", sa.String)).subquery("given_name")
        other = sa.select(named.c.name).where(sa.not_(sa.func.is_plain(named.c.name))).distinct()
        others = list(connection.execute(other).scalars())
    folded = temp_tables.frame_of({"name": others, "folded_name": [fold(name) for name in others]})
    types = dict.fromkeys(folded.columns, sa.String)
    temp_tables.temporary(connection, "other_fold", types, folded)


@functools.cache
def macros() -> tuple[str, ...]:
    """Return the statements that define the macros."""
    given, meant = (
        "".join(part).replace("'", "''") for part in zip(*_ONE_FOR_ANOTHER.items(), strict=True)
    )
    unseen = "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in _UNSEEN)
    return (
        f"create or replace temp macro is_plain(name) as regexp_full_match(name, '{_PLAIN}')",
        "create or replace temp macro plain_fold(name) as "
        "lower(trim(if(contains(name, '  '), regexp_replace(name, ' +', ' ', 'g'), name)))",
        "create or replace temp macro fold_name(given) as "
        "case when is_plain(given) then plain_fold(given) else (select other_fold.folded_name "
        "from other_fold where other_fold.name = if(is_plain(given), null, given)) end",
        f"""
create or replace temp macro fold_marks(given) as
case
    when is_plain(given) then given
    else trim(regexp_replace(
        regexp_replace(translate(given, '{given}', '{meant}'), '[{unseen}]', '', 'g'),
        '[\\s\\x{{85}}\\x{{a0}}\\x{{1680}}\\x{{2000}}-\\x{{200a}}\\x{{2028}}\\x{{2029}}\\x{{202f}}'
        || '\\x{{205f}}\\x{{3000}}\\x{{1c}}-\\x{{1f}}]+', ' ', 'g'))
end
""",
        r"""
create or replace temp macro ontology_id(given) as
case
    when regexp_full_match(upper(trim(given)), '[CD]\d{6,9}') then 'MESH:' || upper(trim(given))
    else upper(regexp_replace(trim(given), '^([A-Za-z][A-Za-z0-9.]*)[:_]', '\1:'))
end
""",
    )
