package dev.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/**
 * Loads classes so that a {@link DeterministicScheduler} can let another thread run before every
 * access of a field and every call into {@code java.util.concurrent} or of a variable handle: the
 * places between which a race happens.
 *
 * <p>See {@link DeterministicScheduler#exploreInterleavings}, which uses it. Thread-safe.
 */
final class InterleavingClassLoader extends ClassLoader {

  private static final ClassDesc POINT = ClassDesc.of(InterleavingPoint.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

  private final List<String> prefixes;
  private final ClassFile classFile;

  /**
   * Creates a loader.
   *
   * @param parent finds the class files, and loads all other classes
   * @param prefixes beginnings of the names of the classes to load
   */
  InterleavingClassLoader(ClassLoader parent, List<String> prefixes) {
    super("interleaving", parent);
    this.prefixes = List.copyOf(prefixes);
    this.classFile =
        ClassFile.of(
            ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(parent)
                    .orElse(ClassHierarchyResolver.defaultResolver())));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (prefixes.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try (InputStream source = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (source == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = withPoints(source.readAllBytes());
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] withPoints(byte[] original) {
    ClassModel model = classFile.parse(original);
    CodeTransform addPoints = InterleavingClassLoader::addPoint;
    return classFile.transformClass(
        model,
        ClassTransform.transformingMethodBodies(InterleavingClassLoader::isShared, addPoints));
  }

  /** A constructor works on an object that no other thread has yet. */
  private static boolean isShared(MethodModel method) {
    return !method.methodName().stringValue().startsWith("<");
  }

  private static void addPoint(CodeBuilder code, CodeElement element) {
    if (isAccess(element)) {
      code.invokestatic(POINT, "pass", NOTHING);
    }
    code.with(element);
  }

  private static boolean isAccess(CodeElement element) {
    return switch (element) {
      case FieldInstruction _ -> true;
      case InvokeInstruction invoke -> {
        String owner = invoke.owner().asInternalName();
        yield owner.startsWith("java/util/concurrent/")
            || owner.equals("java/lang/invoke/VarHandle")
            || owner.equals("java/lang/Thread");
      }
      default -> false;
    };
  }
}
