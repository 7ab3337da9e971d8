package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.launcher.PlainText;
import dev.holdfast.operator.value.ValueTree;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What strangers have stored is printed as text, and ends. */
final class ForeignTextTest {

  private static final List<String> HIDDEN =
      List.of(
          "\u0000",
          "\u001b",
          "\r",
          "\u007f",
          "\u0085",
          "\u009b",
          "\u200e",
          "\u200f",
          "\u2028",
          "\u2029",
          "\u202a",
          "\u202e",
          "\u2066",
          "\u2069",
          "\u061c",
          "\ufeff",
          "\u00a0",
          "\u00ad",
          "\u034f",
          "\u115f",
          "\u1160",
          "\u17b4",
          "\u180b",
          "\u180e",
          "\u200b",
          "\u200d",
          "\u2065",
          "\u2800",
          "\u3000",
          "\u3164",
          "\ufe0f",
          "\uffa0",
          "\uffff",
          "\ud834\udd59",
          "\udb40\udc01",
          "\udb40\udc41",
          "\udb40\udd00");

  private static String printed(String text, int chunk) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        PrintStream plain = PlainText.on(terminal)) {
      byte[] given = text.getBytes(StandardCharsets.UTF_8);
      for (int at = 0; at < given.length; at += chunk) {
        plain.write(given, at, Math.min(chunk, given.length - at));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void charactersThatAreNotShownArePrintedAsEscapes() {
    for (String each : HIDDEN) {
      for (int chunk = 1; chunk < 5; chunk++) {
        assertThat(printed("a" + each + "b\u00e9\ud83d\ude00\n", chunk))
            .doesNotContain(each)
            .matches("a(\\\\u[0-9a-f]{4})+b\u00e9\ud83d\ude00\n");
      }
      assertThat(PlainText.line("a" + each)).doesNotContain(each);
    }
    assertThat(PlainText.line("\ud83d")).isEqualTo("\\ud83d");
    assertThat(PlainText.line("a\nb\tc")).isEqualTo("a\\u000ab\\u0009c");
    assertThat(PlainText.lines("a\nb\tc")).isEqualTo("a\nb\tc");
    assertThat(printed("a\r\nb\rc\n", 1)).isEqualTo("a\r\nb\\u000dc\n");
  }

  @Test
  void longValueIsCutForPeople() {
    String cell = Output.text("\u001b".repeat(1 << 24));

    assertThat(cell)
        .hasSizeLessThan(30_000)
        .endsWith("... (16777216 characters; --json prints all)");
    assertThat(Output.text("x".repeat(4_096))).hasSize(4_096);
  }

  @Test
  @Timeout(60)
  void valueThatWouldHaveNoEndIsCut() {
    Object shared = "leaf";
    for (int level = 0; level < 60; level++) {
      shared = new ArrayList<>(List.of(shared, shared));
    }
    Object deep = "leaf";
    for (int level = 0; level < 900; level++) {
      deep = new ArrayList<>(List.of(deep));
    }
    for (Object value : List.of(shared, deep, JsArray.sparse(4_000_000_000L))) {
      byte[] stored = StructuredClone.standard().encode(value);
      ValueTree tree = ValueTree.of(stored);
      assertThat(tree.note()).contains("the value is cut");
      Output.text(tree.tree()); // ends
    }
    byte[] large = StructuredClone.standard().encode(List.of("x".repeat(1 << 20)));
    assertThat(ValueTree.of(large).note()).isNull();
  }
}
