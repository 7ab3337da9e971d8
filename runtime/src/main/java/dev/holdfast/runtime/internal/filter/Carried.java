package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.ContextCarrier.Scope;
import dev.holdfast.filter.ContextCarrier.TextForm;
import dev.holdfast.filter.Headers;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What the carriers of a runtime have taken on one thread, to be set on another. Immutable. */
public final class Carried {

  /** Nothing. */
  public static final Carried NOTHING = new Carried(new ContextCarrier<?>[0], new Object[0]);

  private static final String TEXT_PREFIX = "carried-";

  private final ContextCarrier<?>[] carriers;
  private final @Nullable Object[] values;

  private Carried(ContextCarrier<?>[] carriers, @Nullable Object[] values) {
    this.carriers = carriers;
    this.values = values;
  }

  /** {@return what is on the current thread} */
  static Carried capture(ContextCarrier<?>[] carriers) {
    if (carriers.length == 0) {
      return NOTHING;
    }
    @Nullable Object[] values = new Object[carriers.length];
    for (int i = 0; i < carriers.length; i++) {
      values[i] = carriers[i].capture();
    }
    return new Carried(carriers, values);
  }

  /**
   * {@return what an alarm keeps of the current thread's values}
   *
   * @throws dev.holdfast.filter.HeadersException if it is too long
   */
  static Headers text(ContextCarrier<?>[] carriers) {
    Headers kept = withText(carriers, Headers.NONE);
    for (String name : kept.asMap().keySet()) {
      kept = kept.keep(name);
    }
    return kept;
  }

  /**
   * {@return headers with what the current thread has for a call to another process}
   *
   * @throws dev.holdfast.filter.HeadersException if it cannot be headers
   */
  static Headers withText(ContextCarrier<?>[] carriers, Headers headers) {
    Headers with = headers;
    for (ContextCarrier<?> carrier : carriers) {
      with = withText(with, carrier);
    }
    return with;
  }

  private static <T> Headers withText(Headers headers, ContextCarrier<T> carrier) {
    TextForm<T> form = carrier.textForm();
    T value = form == null ? null : carrier.capture();
    String text = form == null || value == null ? null : form.writer().apply(value);
    return form == null || text == null ? headers : headers.with(TEXT_PREFIX + form.name(), text);
  }

  /** {@return what an alarm has kept, or another process has sent} */
  static Carried ofText(ContextCarrier<?>[] carriers, Headers headers) {
    if (headers.isEmpty() || carriers.length == 0) {
      return NOTHING;
    }
    @Nullable Object[] values = new Object[carriers.length];
    for (int i = 0; i < carriers.length; i++) {
      TextForm<?> form = carriers[i].textForm();
      String text = form == null ? null : headers.get(TEXT_PREFIX + form.name()).orElse(null);
      values[i] = form == null || text == null ? null : form.reader().apply(text);
    }
    return new Carried(carriers, values);
  }

  /** {@return headers without what carriers have kept} The thread has it. */
  static Headers withoutText(Headers headers) {
    Headers rest = headers;
    for (String name : headers.asMap().keySet()) {
      rest = name.startsWith(TEXT_PREFIX) ? rest.without(name) : rest;
    }
    return rest;
  }

  /**
   * Code that runs with the values.
   *
   * @param <R> the type of its result
   * @param <E> what it throws
   */
  @FunctionalInterface
  public interface Work<R extends @Nullable Object, E extends Throwable> {

    /** {@return the result} */
    R run() throws E;
  }

  /**
   * Runs code with the values on the current thread.
   *
   * @param <R> the type of its result
   * @param <E> what it throws
   * @param work the code
   * @return its result
   * @throws E what it throws
   */
  public <R extends @Nullable Object, E extends Throwable> R around(Work<R, E> work) throws E {
    return around(0, work);
  }

  /** Each one restores what it has set, whatever the others do. */
  private <R extends @Nullable Object, E extends Throwable> R around(int index, Work<R, E> work)
      throws E {
    if (index == carriers.length) {
      return work.run();
    }
    Object value = values[index];
    if (value == null) {
      return around(index + 1, work);
    }
    try (Scope _ = set(carriers[index], value)) {
      return around(index + 1, work);
    }
  }

  /** The value is the carrier's own. */
  @SuppressWarnings("unchecked")
  private static <T> Scope set(ContextCarrier<T> carrier, Object value) {
    return carrier.set((T) value);
  }

  /**
   * {@return code that runs with the values}
   *
   * @param <R> the type of its result
   * @param code the code
   */
  public <R extends @Nullable Object> Callable<R> with(Callable<R> code) {
    return carriers.length == 0 ? code : () -> around(code::call);
  }

  /**
   * {@return code that runs with the values}
   *
   * @param code the code
   */
  public Runnable with(Runnable code) {
    return carriers.length == 0
        ? code
        : () ->
            this.<@Nullable Void, RuntimeException>around(
                () -> {
                  code.run();
                  return null;
                });
  }
}
