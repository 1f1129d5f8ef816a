-- Title:   Ways in which a text of the registry matches, strongest first
-- Result:  Evidence and matching
-- Formula: a list; a drug or disease counts once per text, by the strongest kind
-- Units:   strength 1 is the strongest; a relation says that the text means something narrower;
--          is_default where the default plan counts it
-- Grain:   match_kind
select
    kind.strength,
    kind.match_kind,
    kind.match_kind = 'descendant' as is_relation,
    true as is_default
from (
    values
    (1, 'identifier'),
    (2, 'name'),
    (3, 'exact_synonym'),
    (4, 'exact_cross_reference'),
    (5, 'registry_mesh'),
    (6, 'normalised_name'),
    (7, 'combination_member'),
    (8, 'whole_word_mention'),
    (9, 'descendant')
) as kind (strength, match_kind)
