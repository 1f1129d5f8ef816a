-- Title:      Submissions and products of the FDA, as lines that can be compared between stores
-- Reads:      approval, approval_product, product_ingredient, release
-- Note:       Lines as in event_line. source_key says where a record stood in its file, whose name
--             does not count.
select
    'approval' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256,
        approval.application_number,
        approval.submission_type,
        approval.submission_number
    ) as varchar) as subject,
    concat_ws(
        ' ',
        approval.application_number,
        approval.submission_type,
        approval.submission_number,
        'as of',
        release.released_on
    ) as record,
    json_object(
        'submission_status', approval.submission_status,
        'status_date', approval.status_date,
        'submission_class', approval.submission_class,
        'sponsor_name', approval.sponsor_name,
        'content_sha256', approval.content_sha256
    ) as content,
    cast(approval.approval_id as bigint) as row_id
from approval
inner join release on approval.release_id = release.release_id
union all
select
    'approval_product' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256,
        approval_product.application_number,
        approval_product.product_number
    ) as varchar) as subject,
    concat_ws(
        ' ',
        approval_product.application_number,
        approval_product.product_number,
        'as of',
        release.released_on
    ) as record,
    json_object(
        'drug_name', approval_product.drug_name,
        'folded_drug_name', fold_marks(approval_product.folded_drug_name),
        'active_ingredients', approval_product.active_ingredients,
        'n_ingredients', approval_product.n_ingredients,
        'content_sha256', approval_product.content_sha256
    ) as content,
    cast(approval_product.product_id as bigint) as row_id
from approval_product
inner join release on approval_product.release_id = release.release_id
union all
select
    'product_ingredient' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256,
        approval_product.application_number,
        approval_product.product_number
    ) as varchar) as subject,
    concat_ws(
        ' ',
        approval_product.application_number,
        approval_product.product_number,
        'as of',
        release.released_on
    ) as record,
    json_object(
        'position', product_ingredient.position,
        'name', product_ingredient.name,
        'folded_name', fold_marks(product_ingredient.folded_name)
    ) as content,
    cast(null as bigint) as row_id
from product_ingredient
inner join approval_product on product_ingredient.product_id = approval_product.product_id
inner join release on approval_product.release_id = release.release_id
