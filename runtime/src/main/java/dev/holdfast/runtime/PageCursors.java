package dev.holdfast.runtime;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.alarm.AlarmList;
import dev.holdfast.runtime.internal.instance.ListCursor;

/**
 * Where lists go on: cursors name the last item of a page, so that the pages of several runtimes
 * can be merged. Stateless.
 */
public final class PageCursors {

  private PageCursors() {}

  /**
   * Returns the cursor after an object in a list of objects. Cursors, compared as texts, have the
   * order of the list.
   *
   * @param id the object
   * @return the cursor
   */
  public static String after(ObjectId id) {
    return ListCursor.after(id);
  }

  /**
   * {@return the cursor after an alarm in a list of alarms, which are ordered by time, id and the
   * bytes of the name in UTF-8}
   *
   * @param alarm the alarm
   */
  public static String after(AlarmStatus alarm) {
    return AlarmList.cursorAfter(alarm);
  }
}
