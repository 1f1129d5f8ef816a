"""The static track-record site: pages of everything a store holds, searched and verified offline.

site.publish is the flow: read each figure once, render the pages into a folder beside the site's
place, write down the SHA-256 of every file, swap the folder in.
"""
