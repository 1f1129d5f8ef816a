-- Title:   Names and ids by which evidence refers to a slate's drugs and diseases
-- Formula: the aliases in the store when the slate was recorded, and for drugs that came with
--          attached candidates those of then; a value shared by two of the kind matches neither,
--          unless it is the ChEMBL id of drugs, but a drug that came later takes none from an
--          earlier one
-- Source:  docs/metrics.md#slate_entity_key
-- Units:   value is a ChEMBL, EFO, MONDO or MeSH id or a folded name; the id of a parent may match
--          several salts; strength as in match_kind; known_since is when the alias was first added
-- Grain:   slate_id, entity_kind, entity_id, value
with slate_alias as (
    select
        slate.slate_id,
        'drug' as entity_kind,
        drug_alias.drug_id as entity_id,
        drug_alias.value,
        min(drug_alias.kind) as kind,
        min(drug_alias.added_at) as known_since,
        false as is_new
    from slate
    inner join drug_alias on slate.recorded_at >= drug_alias.added_at
    group by slate.slate_id, drug_alias.drug_id, drug_alias.value
    union all
    select
        slate.slate_id,
        'disease' as entity_kind,
        disease_alias.disease_id as entity_id,
        disease_alias.value,
        min(disease_alias.kind) as kind,
        min(disease_alias.added_at) as known_since,
        false as is_new
    from slate
    inner join disease_alias on slate.recorded_at >= disease_alias.added_at
    group by slate.slate_id, disease_alias.disease_id, disease_alias.value
    union all
    select
        attached_drug.slate_id,
        'drug' as entity_kind,
        attached_drug.drug_id as entity_id,
        drug_alias.value,
        min(drug_alias.kind) as kind,
        min(drug_alias.added_at) as known_since,
        true as is_new
    from attached_drug
    inner join drug_alias
        on
            attached_drug.drug_id = drug_alias.drug_id
            and attached_drug.known_by >= drug_alias.added_at
    group by attached_drug.slate_id, attached_drug.drug_id, drug_alias.value
)

select
    slate_id,
    entity_kind,
    entity_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since
from slate_alias
window same_value as (partition by slate_id, value, entity_kind)
qualify
    kind in ('chembl_id', 'parent_chembl_id')
    or count(*) over same_value = 1
    or (not is_new and count(*) filter (where not is_new) over same_value = 1)
