-- Title:   FDA actions on drugs
-- Formula: the dated versions of a submission that is approved, tentatively too, each joined to the
--          drugs its application's products name
-- Units:   name is folded: a product's, or its ingredient where it has no other; release_id and
--          position are of the first release by which both were shown; is_current where no later
--          release changed the submission; only an action whose meaning is approval dates one
-- Grain:   approval_id, name
with named_product as (
    select
        application_number,
        folded_drug_name as name,
        release_id
    from approval_product
    where folded_drug_name is not null
    union all
    select
        approval_product.application_number,
        product_ingredient.folded_name as name,
        approval_product.release_id
    from approval_product
    inner join product_ingredient using (product_id)
    where approval_product.n_ingredients = 1
),

product_name as (
    select
        named_product.application_number,
        named_product.name,
        min(release_order.position) as position,
        min_by(release_order.release_id, release_order.position) as release_id
    from named_product
    inner join release_order using (release_id)
    group by named_product.application_number, named_product.name
),

followed_approval as (
    select
        approval.approval_id,
        approval.application_number,
        approval.submission_type,
        approval.submission_number,
        approval.submission_status,
        approval.status_date,
        release_order.release_id,
        release_order.position,
        release_order.position = max(release_order.position) over (
            partition by
                approval.application_number, approval.submission_type, approval.submission_number
        ) as is_current
    from approval
    inner join release_order using (release_id)
)

select
    followed_approval.approval_id,
    product_name.name,
    followed_approval.application_number,
    followed_approval.submission_type,
    followed_approval.submission_number,
    concat_ws(
        '/',
        followed_approval.application_number,
        followed_approval.submission_type,
        followed_approval.submission_number
    ) as record,
    followed_approval.status_date,
    submission_kind.submission_kind,
    submission_kind.meaning,
    if(
        product_name.position > followed_approval.position,
        product_name.release_id,
        followed_approval.release_id
    ) as release_id,
    greatest(followed_approval.position, product_name.position) as position,
    followed_approval.is_current
from followed_approval
inner join product_name using (application_number)
inner join submission_kind using (approval_id)
where
    followed_approval.submission_status in ('AP', 'TA')
    and followed_approval.status_date is not null
