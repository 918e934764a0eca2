"""What ends a build: a sentence for whoever started it, and no stack."""


class ImageError(Exception):
    pass
