"""Rows of a table as tests of their own: the row's sentence is the test's name."""


def invariants(table, play):
    """A class decorator: `play(self, row)` for each `sentence: row` of the table."""
    def extend(case):
        for sentence, row in table.items():
            name = "test_" + sentence.replace(" ", "_").replace("-", "_").replace(",", "")
            if hasattr(case, name):
                raise ValueError(f"{name} is there twice")
            setattr(case, name, lambda self, row=row: play(self, row))
        return case
    return extend
