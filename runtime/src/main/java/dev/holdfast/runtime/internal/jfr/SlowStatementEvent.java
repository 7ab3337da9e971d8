package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.statistics.StorageEvents;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A SQL statement that took long. Its parameters are data of users, and never recorded. */
@Name("dev.holdfast.SlowStatement")
@Label("Slow Statement")
@Description("A SQL statement of an object took long; parameters are not recorded")
@Category({"Holdfast", "Storage"})
@Threshold("5 ms")
@StackTrace // the code that ran the statement; walked only for a statement above the threshold
final class SlowStatementEvent extends ObjectEvent implements StorageEvents.Statement {

  /** An event that does not fit into a buffer of the recorder is lost. */
  private static final int TEXT_MAX = 4_096;

  private static final SlowStatementEvent SWITCH = new SlowStatementEvent();

  @Label("SQL")
  @Description("Text of the statement, without parameters; its first 4,096 characters")
  @Nullable String sql;

  static @Nullable SlowStatementEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    SlowStatementEvent event = new SlowStatementEvent();
    event.begin();
    return event;
  }

  @Override
  public void end(ObjectKey key, String text) {
    end();
    if (shouldCommit()) {
      of(key);
      sql = text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX);
      commit();
    }
  }
}
