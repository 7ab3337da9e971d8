package dev.holdfast.runtime.internal.filter;

import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.storage.ObjectStorage;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One filter's view of a call that was delivered. Confined to the turn of the call. */
final class DeliveredStep extends Step implements DeliveredCall {

  private final Filters filters;
  private final Execution execution;
  private final Arrival call;
  private final int index;
  private boolean proceeded;

  DeliveredStep(Filters filters, Execution execution, Arrival call, int index, Headers headers) {
    super(call, headers);
    this.filters = filters;
    this.execution = execution;
    this.call = call;
    this.index = index;
  }

  /** Runs the filter of this step. */
  @Nullable Object filter() throws Throwable {
    try {
      return filters.delivered[index].filter(this);
    } finally {
      end();
    }
  }

  @Override
  public @Nullable Object proceed(Headers changed) throws Throwable {
    Turn turn = execution.turn();
    requireRunning(execution.runsOn(Thread.currentThread()) && turn.isHeldBy(execution));
    turn.unwindIfReset();
    if (proceeded) {
      throw refusal("A CallFilter proceeds once; to repeat a call, use an OutgoingFilter");
    }
    proceeded = true;
    execution.setHeaders(changed);
    try {
      int next = index + 1;
      return next == filters.delivered.length
          ? call.run()
          : new DeliveredStep(filters, execution, call, next, changed).filter();
    } finally {
      execution.setHeaders(headers);
    }
  }

  @Override
  public Optional<AlarmInfo> alarm() {
    return Optional.ofNullable(call.alarm());
  }

  @Override
  public ObjectStorage storage() {
    return call.storage();
  }
}
