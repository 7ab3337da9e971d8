package dev.holdfast.runtime.turns;

import java.util.List;

/** What random programs add up to when each call runs alone, from its beginning to its end. */
final class SequentialModel {

  private final long[] sums = new long[Step.OBJECTS];

  void call(Step.TopCall call) {
    run(call.object(), call.steps());
  }

  long sum(int object) {
    return sums[object];
  }

  private void run(int object, List<Step> steps) {
    for (Step step : steps) {
      switch (step) {
        case Step.Increment _ -> sums[object]++;
        case Step.Await _, Step.Work _ -> {}
        case Step.Call call -> run(call.object(), call.steps());
        case Step.Send send -> run(send.object(), send.steps());
        case Step.Task task -> run(object, task.steps());
        case Step.Section section -> run(object, section.steps());
        case Step.Fail _ -> {
          // Ends these steps; their starter catches it and continues.
          return;
        }
        case Step.Abort _ -> throw new IllegalArgumentException("The model knows no resets.");
      }
    }
  }
}
