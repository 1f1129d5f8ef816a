-- Title:   Uses of a drug in studies
-- Result:  Evidence and matching
-- Formula: a list: the primary purpose of a study that tests the drug; background where it is in
--          every arm, beside what is tested; not as a drug where it names a procedure, a device, a
--          behaviour or a diagnostic test; several conditions, whatever the use, where a plan
--          counts studies of one condition alone
-- Units:   primary_purpose as the registry codes it, NOT_STATED where it states none, NULL for the
--          last three; is_default where the default plan counts it
-- Grain:   study_use
select
    listed.study_use,
    listed.primary_purpose,
    listed.study_use in ('treatment', 'prevention', 'not stated') as is_default
from (
    values
    ('treatment', 'TREATMENT'),
    ('prevention', 'PREVENTION'),
    ('not stated', 'NOT_STATED'),
    ('supportive care', 'SUPPORTIVE_CARE'),
    ('diagnostic', 'DIAGNOSTIC'),
    ('screening', 'SCREENING'),
    ('basic science', 'BASIC_SCIENCE'),
    ('health services research', 'HEALTH_SERVICES_RESEARCH'),
    ('device feasibility', 'DEVICE_FEASIBILITY'),
    ('education', 'ECT'),
    ('other purpose', 'OTHER'),
    ('background', null),
    ('not as a drug', null),
    ('several conditions', null)
) as listed (study_use, primary_purpose)
