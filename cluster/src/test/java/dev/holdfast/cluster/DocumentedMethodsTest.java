package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.recovery.ObjectRecovery;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of the cluster says of each public method what it does on a node. */
class DocumentedMethodsTest {

  private static final Path PAGE = Path.of("..", "docs", "cluster.md");

  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  @ParameterizedTest
  @ValueSource(
      classes = {
        ObjectRuntime.class,
        ClusterRuntime.class,
        ClusterClient.class,
        ObjectNamespace.class,
        ObjectStub.class,
        NamespaceAlarms.class,
        ObjectRecovery.class,
        ObjectAdmin.class,
        ObjectContext.class,
        ObjectRegistrar.class,
        RuntimeOptions.class
      })
  void eachMethodHasARow(Class<?> type) throws IOException {
    assertThat(documented(type)).isEqualTo(methods(type));
  }

  /** The methods that a type declares; of options those that set one. */
  private static Set<String> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
        .map(Method::getName)
        .filter(name -> type != RuntimeOptions.class || name.startsWith("with"))
        .filter(name -> type == ObjectRuntime.class || !name.equals("close"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> documented(Class<?> type) throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| `" + type.getSimpleName() + "` |"))
            .toList();
    return rows.stream()
        .map(row -> row.split("\\|", -1)[2])
        .flatMap(cell -> NAME.matcher(cell).results())
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
