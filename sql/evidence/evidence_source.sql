-- Title:   Sources of evidence
-- Result:  Evidence and matching
-- Formula: a list: each source whose releases can show outcomes of slates
-- Units:   tells_of is what its records are: the releases of all that tell of the same are in one
--          order; names_diseases is false where it tells of drugs alone; matched_by is how a record
--          names drugs and diseases: texts, keys, or keys and the texts of diseases that end in
--          a bracket; can_be_partial where a release may have some records alone that end no
--          follow-up; followed_by is which slates its releases follow: every slate, those whose
--          plan has fda_drug_level, or those of ema_slate
-- Grain:   source
select
    listed.source,
    listed.tells_of,
    listed.names_diseases,
    listed.matched_by,
    listed.can_be_partial,
    listed.followed_by
from (
    values
    ('chembl', 'indications', true, 'keys and bracketed texts', false, 'every slate'),
    ('ctgov', 'studies', true, 'texts', false, 'every slate'),
    ('ema', 'medicines', true, 'texts', true, 'ema_slate'),
    ('fda', 'approvals', false, 'keys', true, 'fda_drug_level'),
    ('ictrp', 'studies', true, 'texts', false, 'every slate')
) as listed (source, tells_of, names_diseases, matched_by, can_be_partial, followed_by)
