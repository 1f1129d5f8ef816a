-- Title:   Medicines that make no event
-- Result:  Evidence and matching
-- Formula: versions of veterinary medicines, generics, hybrids, biosimilars and combinations, and
--          those without a therapeutic area, a substance, or a decision
-- Units:   medicine_kind says why, in words; the first reason of several
-- Grain:   medicine_id
with known_medicine as (
    select
        medicine_id,
        release_id,
        product_number,
        category,
        is_generic,
        is_biosimilar,
        n_substances,
        medicine_id in (select medicine_area.medicine_id from medicine_area) as has_area,
        medicine_id in (
            select medicine_decision.medicine_id from medicine_decision
        ) as has_decision
    from medicine
),

judged_medicine as (
    select
        *,
        case
            when category = 'veterinary' then 'veterinary'
            when is_biosimilar then 'biosimilar'
            when is_generic then 'generic or hybrid'
            when n_substances > 1 then 'of several substances'
            when n_substances = 0 then 'without a substance'
            when not has_area then 'without a therapeutic area'
            when not has_decision then 'without a dated decision'
        end as medicine_kind
    from known_medicine
)

select
    medicine_id,
    release_id,
    product_number,
    medicine_kind
from judged_medicine
where medicine_kind is not null
