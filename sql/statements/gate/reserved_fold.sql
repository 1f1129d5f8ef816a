-- Title:      Rows whose fold has the name of a summary over folds
-- Reads:      keyed_row
select
    row_number,
    :fold_column as column_name,
    concat('''', fold, ''' cannot be the name of a fold') as message
from keyed_row
where fold in ('aggregated', 'average')
