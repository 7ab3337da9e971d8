package dev.holdfast.schedules;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;
import java.util.Set;

/**
 * Loads classes so that a {@link DeterministicScheduler} can let another thread run before every
 * access of a field and every call into {@code java.util.concurrent} or of a variable handle: the
 * places between which a race happens.
 *
 * <p>Monitors become locks of {@code java.util.concurrent}: a thread that is switched away while it
 * holds one then blocks others in a way that the scheduler sees and can replay. Functions that a
 * concurrent map runs under its own lock are not interrupted, for the same reason.
 *
 * <p>See {@link DeterministicScheduler#exploreInterleavings}, which uses it. Thread-safe.
 */
final class InterleavingClassLoader extends ClassLoader {

  private static final ClassDesc POINT = ClassDesc.of(InterleavingPoint.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final MethodTypeDesc ON_OBJECT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);
  private static final Set<String> UNDER_A_LOCK_OF_THE_MAP =
      Set.of("compute", "computeIfAbsent", "computeIfPresent", "merge");

  /** Marks the body of a method that was synchronized. */
  private static final String BODY_SUFFIX = "$locked";

  private final List<String> prefixes;
  private final ClassFile classFile;

  /**
   * Creates a loader.
   *
   * @param parent finds the class files, and loads all other classes
   * @param prefixes prefixes of the names of the classes to load
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
      byte[] bytes = withPoints(source.readAllBytes(), ClassDesc.of(name));
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] withPoints(byte[] original, ClassDesc name) {
    ClassTransform transform = (builder, element) -> addElement(builder, element, name);
    return classFile.transformClass(classFile.parse(original), transform);
  }

  private static void addElement(ClassBuilder builder, ClassElement element, ClassDesc owner) {
    if (!(element instanceof MethodModel method) || method.code().isEmpty()) {
      builder.with(element);
    } else if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
      addLockingMethod(builder, method, owner);
      addBody(builder, method);
    } else {
      builder.transformMethod(method, MethodTransform.transformingCode(pointsOf(method)));
    }
  }

  /** A constructor works on an object that no other thread can access yet. */
  private static CodeTransform pointsOf(MethodModel method) {
    boolean isShared = !method.methodName().stringValue().startsWith("<");
    return (code, element) -> addInstruction(code, element, isShared);
  }

  private static void addInstruction(CodeBuilder code, CodeElement element, boolean isShared) {
    if (element instanceof MonitorInstruction monitor) {
      code.invokestatic(
          POINT, monitor.opcode() == Opcode.MONITORENTER ? "lock" : "unlock", ON_OBJECT);
    } else if (isUnderALockOfTheMap(element)) {
      code.invokestatic(POINT, "holdOn", NOTHING);
      code.trying(
          call -> call.with(element),
          failed ->
              failed.catchingAll(handler -> handler.invokestatic(POINT, "goOn", NOTHING).athrow()));
      code.invokestatic(POINT, "goOn", NOTHING);
    } else {
      if (isShared && isAccess(element)) {
        code.invokestatic(POINT, "pass", NOTHING);
      }
      code.with(element);
    }
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

  private static boolean isUnderALockOfTheMap(CodeElement element) {
    return element instanceof InvokeInstruction invoke
        && invoke.owner().asInternalName().startsWith("java/util/concurrent/Concurrent")
        && UNDER_A_LOCK_OF_THE_MAP.contains(invoke.name().stringValue());
  }

  /** Adds the method that locks and calls the original body. */
  private static void addLockingMethod(ClassBuilder builder, MethodModel method, ClassDesc owner) {
    boolean isStatic = method.flags().has(AccessFlag.STATIC);
    MethodTypeDesc type = method.methodTypeSymbol();
    builder.withMethod(
        method.methodName(),
        method.methodType(),
        method.flags().flagsMask() & ~ClassFile.ACC_SYNCHRONIZED,
        created ->
            created.withCode(
                code -> {
                  pushLock(code, isStatic, owner);
                  code.invokestatic(POINT, "lock", ON_OBJECT);
                  code.trying(
                      call -> callBody(call, method, isStatic, owner),
                      failed ->
                          failed.catchingAll(
                              handler -> {
                                pushLock(handler, isStatic, owner);
                                handler.invokestatic(POINT, "unlock", ON_OBJECT).athrow();
                              }));
                  pushLock(code, isStatic, owner);
                  code.invokestatic(POINT, "unlock", ON_OBJECT);
                  code.return_(TypeKind.from(type.returnType()));
                }));
  }

  private static void pushLock(CodeBuilder code, boolean isStatic, ClassDesc owner) {
    if (isStatic) {
      code.loadConstant(owner);
    } else {
      code.aload(0);
    }
  }

  private static void callBody(
      CodeBuilder code, MethodModel method, boolean isStatic, ClassDesc owner) {
    MethodTypeDesc type = method.methodTypeSymbol();
    String body = method.methodName().stringValue() + BODY_SUFFIX;
    if (!isStatic) {
      code.aload(0);
    }
    for (int index = 0; index < type.parameterCount(); index++) {
      code.loadLocal(TypeKind.from(type.parameterType(index)), code.parameterSlot(index));
    }
    if (isStatic) {
      code.invokestatic(owner, body, type);
    } else {
      code.invokespecial(owner, body, type);
    }
  }

  private static void addBody(ClassBuilder builder, MethodModel method) {
    int flags = method.flags().has(AccessFlag.STATIC) ? ClassFile.ACC_STATIC : 0;
    builder.withMethod(
        method.methodName().stringValue() + BODY_SUFFIX,
        method.methodTypeSymbol(),
        flags | ClassFile.ACC_PRIVATE | ClassFile.ACC_SYNTHETIC,
        created -> created.transformCode(method.code().orElseThrow(), pointsOf(method)));
  }
}
