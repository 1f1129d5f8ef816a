-- Title:      The one term of an identifier's vocabulary that each other term stands for
-- Reads:      current_identifier, term_claim, term_link, vocabulary_parent
-- Creates:    concept_term
-- Note:       Of several claimants at the first step that decides: the only one; else the ancestor
--             of all others; else the one that ChEMBL's indications confirm; else none. A term that
--             nothing claims follows ChEMBL's indications where they are one to one.
with recursive contested as (
    select
        entity_kind,
        home,
        term_id,
        step
    from term_claim
    group by entity_kind, home, term_id, step
    having count(*) > 1
),

contested_claim as (
    select term_claim.*
    from term_claim
    inner join contested using (entity_kind, home, term_id, step)
),

parent as materialized (
    select distinct
        coalesce(child.term_id, vocabulary_parent.term_id) as term_id,
        coalesce(above.term_id, vocabulary_parent.parent_term_id) as parent_id
    from vocabulary_parent
    left join current_identifier as child on vocabulary_parent.term_id = child.old_id
    left join current_identifier as above on vocabulary_parent.parent_term_id = above.old_id
),

ancestor as (
    select
        hub_id as term_id,
        hub_id as ancestor_id
    from contested_claim
    union
    select
        ancestor.term_id,
        parent.parent_id as ancestor_id
    from ancestor
    inner join parent on ancestor.ancestor_id = parent.term_id
),

widest as (
    select
        contested_claim.entity_kind,
        contested_claim.home,
        contested_claim.term_id,
        contested_claim.step,
        contested_claim.hub_id
    from contested_claim
    inner join contested_claim as other using (entity_kind, home, term_id, step)
    left join ancestor
        on
            other.hub_id = ancestor.term_id
            and contested_claim.hub_id = ancestor.ancestor_id
    group by
        contested_claim.entity_kind,
        contested_claim.home,
        contested_claim.term_id,
        contested_claim.step,
        contested_claim.hub_id
    having count(*) = count(ancestor.term_id)
),

confirmed as (
    select
        contested_claim.entity_kind,
        contested_claim.home,
        contested_claim.term_id,
        contested_claim.step,
        min(contested_claim.hub_id) as hub_id
    from contested_claim
    inner join term_link as indicated on contested_claim.term_id = indicated.term_id
    inner join term_link as equal_term
        on
            indicated.object_id = equal_term.term_id
            and contested_claim.hub_id = equal_term.object_id
    where indicated.strength = 3 and equal_term.strength < 3
    group by
        contested_claim.entity_kind,
        contested_claim.home,
        contested_claim.term_id,
        contested_claim.step
    having count(distinct contested_claim.hub_id) = 1
),

choice as (
    select
        entity_kind,
        home,
        term_id,
        step,
        min(hub_id) as hub_id,
        1 as rule
    from term_claim
    group by entity_kind, home, term_id, step
    having count(*) = 1
    union all
    select
        entity_kind,
        home,
        term_id,
        step,
        hub_id,
        2 as rule
    from widest
    union all
    select
        entity_kind,
        home,
        term_id,
        step,
        hub_id,
        3 as rule
    from confirmed
),

chosen as (
    select
        choice.entity_kind,
        choice.home,
        choice.term_id,
        choice.step,
        choice.hub_id,
        term_claim.known_since
    from choice
    inner join term_claim using (entity_kind, home, term_id, step, hub_id)
    qualify
        row_number() over (
            partition by choice.entity_kind, choice.home, choice.term_id
            order by choice.step, choice.rule, choice.hub_id
        ) = 1
),

one_to_one as (
    select
        term_id,
        min(object_id) as object_id,
        min(known_since) as known_since
    from term_link
    where strength = 3
    group by term_id
    having count(*) = 1
),

crosswalk as (
    select
        chosen.entity_kind,
        chosen.home,
        one_to_one.object_id as term_id,
        chosen.hub_id,
        greatest(one_to_one.known_since, chosen.known_since) as known_since
    from chosen
    inner join one_to_one on chosen.term_id = one_to_one.term_id
    inner join one_to_one as back
        on one_to_one.object_id = back.term_id and one_to_one.term_id = back.object_id
    anti join term_claim
        on
            chosen.entity_kind = term_claim.entity_kind
            and chosen.home = term_claim.home
            and one_to_one.object_id = term_claim.term_id
)

select
    entity_kind,
    home,
    term_id,
    step,
    hub_id,
    known_since
from chosen
union all
select
    entity_kind,
    home,
    term_id,
    4 as step,
    hub_id,
    known_since
from crosswalk
