-- Title:      True values that are not the index of a class
-- Reads:      staged_value
select
    row_number,
    if(:is_long, 'value', target) as column_name,
    concat(
        '''', value, ''' is not a class index (0 to ', cast(:n_classes as integer) - 1, ')'
    ) as message
from staged_value
where not (value = floor(value) and value between 0 and :n_classes - 1)
