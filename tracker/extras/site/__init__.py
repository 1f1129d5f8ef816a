"""The static track-record site: pages of everything in a store, searched and verified offline.

site.publishing reads each figure once, renders the pages into a folder beside the site's, records
the SHA-256 of every file, and swaps the folders.
"""
