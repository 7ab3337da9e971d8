package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies with other objects, and objects with other content, are found. */
final class ContentComparisonTest {

  @TempDir private Path directory;

  private Map<String, String> content(String name, String rocksDb, String... texts) {
    Path data = directory.resolve(name);
    try (ObjectRuntime runtime = Holdfast.open(data, CrashNode::register)) {
      for (String text : texts) {
        runtime.namespace(CrashNode.DOCUMENTS, Document.class).getByName("d").write(text);
      }
      runtime.namespace(CrashNode.DOCUMENTS_ROCKSDB, Document.class).getByName("r").write(rocksDb);
    }
    try (StoppedDirectory stopped = StoppedDirectory.read(data)) {
      return ContentComparison.read(new Operations(stopped.inspected())).objects();
    }
  }

  @Test
  void nodesWithTheSameContentDoNotDiffer() {
    Map<String, String> first = content("a", "x", "y", "z");
    assertThat(first).hasSize(2);
    assertThat(first.values()).anySatisfy(each -> assertThat(each).contains("words", "z"));
    assertThat(ContentComparison.differences(Map.of("a", first, "b", content("b", "x", "y", "z"))))
        .isEmpty();
  }

  @Test
  void otherRowsAndOtherValuesAndMissingObjectsAreFound() {
    Map<String, String> first = content("a", "x", "y", "z");
    assertThat(ContentComparison.differences(Map.of("a", first, "b", content("b", "x", "y", "u"))))
        .singleElement()
        .asString()
        .contains(CrashNode.DOCUMENTS + " ");
    assertThat(ContentComparison.differences(Map.of("a", first, "c", content("c", "v", "y", "z"))))
        .singleElement()
        .asString()
        .contains(CrashNode.DOCUMENTS_ROCKSDB);
    assertThat(ContentComparison.differences(Map.of("a", first, "d", content("d", "x"))))
        .singleElement()
        .asString()
        .contains("nothing");
  }
}
