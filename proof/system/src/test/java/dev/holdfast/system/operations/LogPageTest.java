package dev.holdfast.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.LogEvent;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about the log lists each event, at its level, and each reason of the health. */
final class LogPageTest {

  private static final Pattern EVENT = Pattern.compile("(?m)^\\| `([a-z-]+)` \\| ([A-Z]+) \\|");

  private static List<String> rows(String heading) throws IOException {
    String page = Files.readString(Path.of("../../docs/operations/logs.md"));
    int health = page.indexOf("## Health");
    String part = heading.isEmpty() ? page.substring(0, health) : page.substring(health);
    return EVENT.matcher(part).results().map(LogPageTest::row).toList();
  }

  private static String row(MatchResult found) {
    return found.group(1) + " " + found.group(2);
  }

  @Test
  void pageListsEachEventWithItsLevel() throws IOException {
    assertThat(rows(""))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(LogEvent.values()).map(each -> each.code() + " " + each.level()).toList());
  }

  @Test
  void pageListsEachReasonOfTheHealth() throws Exception {
    List<String> codes = new ArrayList<>();
    for (Field field : HealthReason.class.getFields()) {
      codes.add(String.valueOf(field.get(null)));
    }
    assertThat(rows("## Health").stream().map(each -> each.substring(0, each.indexOf(' '))))
        .containsExactlyInAnyOrderElementsOf(codes);
  }
}
