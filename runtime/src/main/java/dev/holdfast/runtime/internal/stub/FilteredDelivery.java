package dev.holdfast.runtime.internal.stub;

import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Description;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Turn;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a call that has headers and passes filters. Created by the thread that makes the
 * call, used by the one that runs it.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
record FilteredDelivery(
    Filters filters,
    ObjectMethod operation,
    @Nullable Object[] arguments,
    Headers headers,
    @Nullable Runnable whenHeld)
    implements TurnDelivery {

  @Override
  public @Nullable Object deliver(Turn turn, Target target) throws Throwable {
    Execution call = turn.check();
    call.setHeaders(headers);
    Object object = target.object();
    Description description =
        new Description(
            turn.key().namespace(),
            turn.key().id(),
            operation.name(),
            arguments,
            null,
            target.storage());
    Object result = filters.deliver(call, description, () -> operation.invoke(object, arguments));
    return operation.result(turn.key().id(), result);
  }

  @Override
  public void held(Execution call) {
    if (whenHeld != null && call.turn().parts().journal().durablePosition() < call.position()) {
      whenHeld.run();
    }
  }
}
