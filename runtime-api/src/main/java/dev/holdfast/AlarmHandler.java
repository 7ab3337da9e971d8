package dev.holdfast;

/**
 * Implemented by the class of an object that sets alarms, beside the interface through which it is
 * called.
 *
 * <p>An alarm fires at its time or later, never before, and at least once: the removal of the alarm
 * is durable together with what the handler writes in its last turn. After a crash in between it
 * fires again. So a handler must bear being run twice for one alarm; one that makes no wait and
 * speaks to nobody outside has its effect exactly once.
 *
 * <p>If the handler throws, what it has written is kept, and it is run again after a while; see
 * {@link AlarmPolicy}. So it is if the object is reset meanwhile, but then what it has written in
 * its last turn is not kept.
 */
@FunctionalInterface
public interface AlarmHandler {

  /**
   * Runs as an event of the object. While it runs {@link
   * dev.holdfast.storage.TransactionalStorage#getAlarm} says that there is none, unless it sets a
   * new one, which it may. An alarm it does not replace is gone when it returns.
   *
   * @param alarm which alarm, and whether it was tried before
   * @throws Exception to have it run again later; {@link AbandonAlarmException} to have it not run
   *     again
   */
  void alarm(AlarmInfo alarm) throws Exception;
}
