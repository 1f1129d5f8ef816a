-- Title:      Every name in staged products
-- Reads:      staged_product
select trim(drug_name) as name from staged_product
where drug_name is not null
union all
select trim(unnest(string_split(active_ingredients, ';'))) as name from staged_product
