package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The Javadoc of runtime-api names the exceptions of each method. */
final class ThrowsTest {

  private static final Path SOURCES = Path.of("../../runtime-api/src/main/java");

  /** Methods that cannot fail; those of exceptions are left out. */
  private static final Set<String> CANNOT_FAIL =
      Set.of(
          "AlarmInfo.isRetry()",
          "AlarmOptions.withListener(Listener)",
          "ListOptions.reversed()",
          "ListOptions.withEnd(String)",
          "ListOptions.withPrefix(String)",
          "ListOptions.withRead(ReadOptions)",
          "Listener.abandoned(String,AlarmStatus,Throwable)",
          "Listener.failed(String,AlarmStatus,Throwable)",
          "Listener.superseded(String,AlarmStatus,Throwable)",
          "NamespaceOptions.withAlarms(AlarmPolicy)",
          "NamespaceOptions.withSqlLimits(SqlLimits)",
          "NamespaceOptions.withStorage(StorageKind)",
          "ObjectContext.id()",
          "ObjectContext.namespace()",
          "ObjectContext.storage()",
          "ObjectId.name()",
          "ObjectId.toBytes()",
          "ObjectId.toDisplayString()",
          "ObjectListOptions.withCursor(String)",
          "ObjectListOptions.withPrefix(String)",
          "ObjectNamespace.alarms()",
          "ObjectNamespace.name()",
          "ObjectNamespace.newUniqueId()",
          "ObjectRegistrar.alarms(AlarmOptions)",
          "ObjectRegistrar.options(RuntimeOptions)",
          "ObjectRuntime.admin()",
          "ObjectStorage.schedules()",
          "ObjectStorage.sql()",
          "ObjectStub.async(Call<? super T, R>)", // the future fails
          "ObjectStub.blocking()", // the calls fail
          "ObjectStub.id()",
          "ReadOptions.concurrent()",
          "ReadOptions.uncached()",
          "ScheduledTask.cancel()",
          "SqlCursor.raw()",
          "SqlLimits.withSchemaChanges(boolean)",
          "SqlResult.columnNames()",
          "SqlResult.rowsRead()",
          "SqlResult.rowsWritten()",
          "SqlResult.stream()",
          "SqlRow.toMap()",
          "SqlRow.values()",
          "WriteOptions.unconfirmed()",
          "WriteOptions.uncached()");

  @Test
  void everyMethodOfTheApiNamesItsExceptions() throws IOException {
    Set<String> silent = new TreeSet<>();
    int methods = new Methods(silent).scanAll();

    assertThat(methods).isGreaterThan(150);
    assertThat(silent).containsExactlyInAnyOrderElementsOf(CANNOT_FAIL);
  }

  /** Collects the public methods without an exception. */
  private static final class Methods extends TreePathScanner<@Nullable Void, @Nullable Void> {

    private final Set<String> silent;
    private @Nullable DocTrees docs;
    private int count;

    Methods(Set<String> silent) {
      this.silent = silent;
    }

    int scanAll() throws IOException {
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      try (var manager = compiler.getStandardFileManager(null, null, null);
          Stream<Path> files = Files.walk(SOURCES)) {
        List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        JavacTask task =
            (JavacTask)
                compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(sources));
        docs = DocTrees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
          scan(unit, null);
        }
      }
      return count;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
      ClassTree type = (ClassTree) getCurrentPath().getParentPath().getLeaf();
      String owner = type.getSimpleName().toString();
      if (isPublic(method, type) && !isOverride(method) && !owner.endsWith("Exception")) {
        count++;
        if (!namesException(getCurrentPath())) {
          silent.add(
              method.getParameters().stream()
                  .map(parameter -> parameter.getType().toString())
                  .collect(Collectors.joining(",", owner + "." + method.getName() + "(", ")")));
        }
      }
      return null;
    }

    private static boolean isPublic(MethodTree method, ClassTree type) {
      Set<Modifier> flags = method.getModifiers().getFlags();
      return switch (type.getKind()) {
        case INTERFACE -> !flags.contains(Modifier.PRIVATE);
        default -> flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED);
      };
    }

    /** What a method of the JDK, such as equals, promises is known. */
    private boolean isOverride(MethodTree method) {
      return method.getModifiers().getAnnotations().stream()
              .anyMatch(each -> each.getAnnotationType().toString().equals("Override"))
          && !namesException(getCurrentPath());
    }

    private boolean namesException(TreePath method) {
      DocCommentTree comment = docs == null ? null : docs.getDocCommentTree(method);
      return comment != null
          && comment.getBlockTags().stream().anyMatch(tag -> tag.getKind() == DocTree.Kind.THROWS);
    }
  }
}
