package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Arrival;
import dev.holdfast.runtime.internal.filter.Carried;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.ObjectStorage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a call that has headers and passes filters. Created by the thread that makes the
 * call, then confined to the turn. One object serves as the delivery and as what filters see, to
 * save allocations.
 */
final class FilteredDelivery implements TurnDelivery, Arrival {

  private final Filters filters;
  private final Carried context;
  private final ObjectMethod operation;
  private final @Nullable Object[] arguments;
  private final Headers headers;
  private final @Nullable Runnable whenHeld;

  // Set in the turn. A call that comes to an instance which is gone is delivered to the next one.
  private @Nullable ObjectKey key;
  private @Nullable Target target;

  /**
   * Creates it.
   *
   * @param filters of the namespace
   * @param context what travels with the call
   * @param operation to call
   * @param arguments copies that belong to the object
   * @param headers of the call
   * @param whenHeld runs before the reply waits for the disk; null for nothing
   */
  FilteredDelivery(
      Filters filters,
      Carried context,
      ObjectMethod operation,
      @Nullable Object[] arguments,
      Headers headers,
      @Nullable Runnable whenHeld) {
    this.filters = filters;
    this.context = context;
    this.operation = operation;
    this.arguments = arguments;
    this.headers = headers;
    this.whenHeld = whenHeld;
  }

  @Override
  public @Nullable Object deliver(Turn turn, Target object) throws Throwable {
    key = turn.key();
    target = object;
    Execution call = Objects.requireNonNull(turn.holder());
    call.setHeaders(headers);
    return context == Carried.NOTHING
        ? deliver(call, object)
        : context.around(() -> deliver(call, object));
  }

  private @Nullable Object deliver(Execution call, Target object) throws Throwable {
    // Made before the first filter, which may use its storage.
    object.object();
    return operation.result(call.turn().key().id(), filters.deliver(call, this));
  }

  @Override
  public boolean isCall() {
    return true;
  }

  @Override
  public void held(Execution call) {
    if (whenHeld != null && call.turn().parts().journal().durablePosition() < call.position()) {
      whenHeld.run();
    }
  }

  private ObjectKey key() {
    return Objects.requireNonNull(key);
  }

  private Target target() {
    return Objects.requireNonNull(target);
  }

  @Override
  public String namespace() {
    return key().namespace();
  }

  @Override
  public ObjectId id() {
    return key().id();
  }

  @Override
  public String operationName() {
    return operation.name();
  }

  @Override
  public @Nullable Object[] arguments() {
    return arguments;
  }

  @Override
  public @Nullable AlarmInfo alarm() {
    return null;
  }

  @Override
  public ObjectStorage storage() {
    return target().storage();
  }

  @Override
  public @Nullable Object run() throws Throwable {
    return operation.invoke(target().object(), arguments);
  }
}
