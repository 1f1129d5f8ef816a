-- Title:   Texts by which medicines name drugs and diseases
-- Formula: the names of the substance of human medicines that have one, and of the therapeutic
--          areas, each as a term and as its name; not of generics, hybrids and biosimilars
-- Units:   value as in trial_text; name is as EMA writes it, the first where several fold to one
-- Grain:   medicine_id, entity_kind, value
with counted_medicine as (
    select
        medicine_id,
        n_substances
    from medicine
    where category = 'human' and not is_generic and not is_biosimilar
),

named_text as (
    select
        counted_medicine.medicine_id,
        'drug' as entity_kind,
        medicine_substance.folded_name as value,
        medicine_substance.name
    from counted_medicine
    inner join medicine_substance using (medicine_id)
    where counted_medicine.n_substances = 1
    union all
    select
        counted_medicine.medicine_id,
        'disease' as entity_kind,
        unnest(
            [medicine_area.folded_name, concat(medicine_area.folded_name, ' [MeSH]')]
        ) as value,
        medicine_area.name
    from counted_medicine
    inner join medicine_area using (medicine_id)
)

select
    medicine_id,
    entity_kind,
    value,
    min(name) as name
from named_text
group by medicine_id, entity_kind, value
