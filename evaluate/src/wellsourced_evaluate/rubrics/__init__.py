"""Answers graded by rubrics, as HealthBench has them: conversations with criteria are read, answered and graded one
criterion after the other; and graders are measured against physicians' votes. Nothing here says how to answer."""
