"""The lesson for other rooms: slides, pages, exercises, an archive, loops; a module for each kind of file."""
