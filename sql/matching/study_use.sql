-- Title:   Uses of a drug in studies
-- Formula: a list: the primary purpose of a study that tests the drug; background where it is in
--          every arm, beside what is tested; not as a drug where it names a procedure, a device, a
--          behaviour or a diagnostic test
-- Source:  docs/metrics.md#study_use
-- Units:   primary_purpose as the registry codes it, NOT_STATED where it states none, NULL for the
--          last two; is_default where the default plan counts it
-- Grain:   study_use
select
    listed.position,
    listed.study_use,
    listed.primary_purpose,
    listed.position <= 3 as is_default
from (
    values
    (1, 'treatment', 'TREATMENT'),
    (2, 'prevention', 'PREVENTION'),
    (3, 'not stated', 'NOT_STATED'),
    (4, 'supportive care', 'SUPPORTIVE_CARE'),
    (5, 'diagnostic', 'DIAGNOSTIC'),
    (6, 'screening', 'SCREENING'),
    (7, 'basic science', 'BASIC_SCIENCE'),
    (8, 'health services research', 'HEALTH_SERVICES_RESEARCH'),
    (9, 'device feasibility', 'DEVICE_FEASIBILITY'),
    (10, 'education', 'ECT'),
    (11, 'other purpose', 'OTHER'),
    (12, 'background', null),
    (13, 'not as a drug', null)
) as listed (position, study_use, primary_purpose)
