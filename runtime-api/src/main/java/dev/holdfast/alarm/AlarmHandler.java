package dev.holdfast.alarm;

/**
 * The class of an object that sets alarms implements this interface, in addition to the interface
 * of its calls.
 *
 * <p>An alarm fires at its time or later, never earlier, and at least once. The removal of the
 * alarm becomes durable together with the writes of the handler's last turn; after a crash before
 * that the alarm fires again. So a handler must tolerate two runs for one alarm. A handler that
 * does not wait and has no effect outside its object has its effect exactly once.
 *
 * <p>If the handler throws, its writes are kept, and it runs again after a delay; see {@link
 * AlarmPolicy}. If the object is reset while the handler runs, the handler also runs again, but the
 * writes of its last turn are lost.
 */
@FunctionalInterface
public interface AlarmHandler {

  /**
   * Handles an alarm, as an event of the object. While it runs, {@link
   * dev.holdfast.storage.TransactionalStorage#getAlarm} returns empty, unless the handler has set a
   * new alarm. The alarm is removed when this method returns, unless it was replaced.
   *
   * @param alarm the alarm, and the number of its failed tries
   * @throws Exception to run again later; an {@link AbandonAlarmException} to give the alarm up
   */
  void alarm(AlarmInfo alarm) throws Exception;
}
