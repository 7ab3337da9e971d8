package dev.holdfast.filter;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way through a filter. Confined to the thread that runs the filter, until the filter
 * returns.
 */
public interface FilteredCall {

  /** {@return the namespace of the object that is called} */
  String namespace();

  /** {@return the id of the object that is called, 64 hexadecimal digits} */
  String id();

  /** {@return the name of the object that is called, if it is known} */
  Optional<String> name();

  /** {@return the name of the method that is called; {@code alarm} for the run of an alarm} */
  String operation();

  /**
   * Returns the arguments. A delivered call has the copies that the object gets, an outgoing call
   * the caller's own: do not change what they contain.
   *
   * @return an unmodifiable list; for an alarm, its {@link dev.holdfast.alarm.AlarmInfo}
   */
  List<@Nullable Object> arguments();

  /** {@return the headers of the call, as the filter before this one has passed them on} */
  Headers headers();

  /**
   * Calls the next filter, or after the last one the object.
   *
   * @return the result
   * @throws Throwable what the next filter or the object throws, or an exception of the runtime
   * @throws IllegalStateException if the filter has returned, another thread than the filter's
   *     calls, or a {@link CallFilter} proceeds again
   */
  @Nullable Object proceed() throws Throwable;

  /**
   * Calls the next filter or the object with other headers. The calls that the object makes
   * meanwhile have them, too.
   *
   * @param headers instead of {@link #headers()}
   * @return the result
   * @throws Throwable what the next filter or the object throws, or an exception of the runtime
   * @throws IllegalStateException if the filter has returned, another thread than the filter's
   *     calls, or a {@link CallFilter} proceeds again
   */
  @Nullable Object proceed(Headers headers) throws Throwable;
}
