/**
 * Finds alarms that are due, and implements retries and schedules. Depends on neither engine nor
 * backends.
 */
@SuppressWarnings("requires-automatic") // cron-utils has a name but no descriptor
module dev.holdfast.alarms {
  requires transitive dev.holdfast.spi;
  requires static com.cronutils;
  requires static transitive org.jspecify;

  exports dev.holdfast.alarms;
}
