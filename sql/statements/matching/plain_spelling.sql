-- Title:      The plain form of each name and text that is not plain already
-- Reads:      disease_alias, drug_alias, known_term_name, registry_text
-- Creates:    plain_spelling
-- Note:       Accents and the signs of trade marks go; fold_marks folds what an earlier version
--             stored otherwise.
--             The greatest part of all names is plain and has no row.
with given as (
    select folded_text as folded from registry_text
    union
    select folded_name as folded from known_term_name
    union
    select value as folded from drug_alias
    where kind in ('name', 'synonym')
    union
    select value as folded from disease_alias
    where kind in ('name', 'synonym')
)

select
    folded,
    trim(
        regexp_replace(
            translate(strip_accents(fold_marks(folded)), '®™', '  '),
            '\s+',
            ' ',
            'g'
        )
    ) as plain
from given
where not regexp_full_match(folded, '[ -_a-~]*')
