package dev.holdfast.alarms;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmInfo;
import org.jspecify.annotations.Nullable;

/** An object whose code is given by the test; see {@link AlarmHost}. */
interface Sleeper {

  @Nullable Object run(int script) throws Exception;

  /** Code that runs in an object. */
  @FunctionalInterface
  interface Script {
    @Nullable Object run(ObjectContext context) throws Exception;
  }

  /** The code of an object's alarm handler. */
  @FunctionalInterface
  interface Handler {
    void alarm(ObjectContext context, AlarmInfo info) throws Exception;
  }
}
