-- Title:   Words that normalisation replaces
-- Formula: a list; each word becomes the one that other names use for the same thing, and
--          'pancreas' is no plural
-- Units:   words in lower case and in American spelling
-- Grain:   entity_kind, word
select
    rewrite.entity_kind,
    rewrite.word,
    rewrite.becomes
from (
    values
    ('disease', 'cardiac', 'heart'),
    ('disease', 'cerebral', 'brain'),
    ('disease', 'colonic', 'colon'),
    ('disease', 'cutaneous', 'skin'),
    ('disease', 'esophageal', 'esophagus'),
    ('disease', 'gastric', 'stomach'),
    ('disease', 'hematological', 'hematologic'),
    ('disease', 'hepatic', 'liver'),
    ('disease', 'malignancy', 'cancer'),
    ('disease', 'mammary', 'breast'),
    ('disease', 'metastases', 'metastasis'),
    ('disease', 'myeloblastic', 'myeloid'),
    ('disease', 'myelocytic', 'myeloid'),
    ('disease', 'myelogenous', 'myeloid'),
    ('disease', 'ovarian', 'ovary'),
    ('disease', 'pancreas', 'pancreas'),
    ('disease', 'pancreatic', 'pancreas'),
    ('disease', 'peritoneal', 'peritoneum'),
    ('disease', 'prostatic', 'prostate'),
    ('disease', 'pulmonary', 'lung'),
    ('disease', 'rectal', 'rectum'),
    ('disease', 'renal', 'kidney'),
    ('disease', 'testes', 'testis'),
    ('disease', 'testicular', 'testis'),
    ('disease', 'tumor', 'neoplasm'),
    ('disease', 'uterine', 'uterus'),
    ('drug', 'alpha', 'alfa'),
    ('drug', 'sulphate', 'sulfate')
) as rewrite (entity_kind, word, becomes)
