package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.FilteredCall;
import dev.holdfast.filter.Headers;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One filter's view of a call. Confined to the thread that runs the filter. */
abstract class Step implements FilteredCall {

  private final Described call;
  final Headers headers;

  /** Whether the filter has returned. */
  private boolean over;

  Step(Described call, Headers headers) {
    this.call = call;
    this.headers = headers;
  }

  /** Records that the filter has returned. */
  final void end() {
    over = true;
  }

  /** Refuses a call of a filter that has returned, or on whose behalf another thread calls. */
  final void requireRunning(boolean isOwnThread) {
    if (over || !isOwnThread) {
      throw refusal("A filter proceeds on its own thread, before it returns");
    }
  }

  final IllegalStateException refusal(String rule) {
    return new IllegalStateException(
        rule + ": " + operation() + " [" + namespace() + "/" + id() + "]");
  }

  @Override
  public final String namespace() {
    return call.namespace();
  }

  @Override
  public final String id() {
    return call.id().toString();
  }

  @Override
  public final Optional<String> name() {
    return call.id().name();
  }

  @Override
  public final String operation() {
    return call.operationName();
  }

  @Override
  public final List<@Nullable Object> arguments() {
    return Collections.<@Nullable Object>unmodifiableList(Arrays.asList(call.arguments()));
  }

  @Override
  public final Headers headers() {
    return headers;
  }

  @Override
  public final @Nullable Object proceed() throws Throwable {
    return proceed(headers);
  }
}
