package dev.holdfast.clone.codec;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PRIVATE;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_SYNTHETIC;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.MethodParameterInfo;
import java.lang.classfile.attribute.MethodParametersAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Classes in the form in which Kotlin compiles {@code data class Line(val item: String, val count:
 * Int = 1)}: private fields, a constructor with or without the names of its parameters, and a
 * synthetic one for the defaults. No library of Kotlin is needed to read them.
 */
final class KotlinClassesTest {

  private static final StructuredClone CLONE = StructuredClone.standard();
  private static final ClassDesc LINE = ClassDesc.of("example.Line");
  private static final ClassDesc MARKER =
      ClassDesc.of("kotlin.jvm.internal.DefaultConstructorMarker");

  /** Defines the classes of one compilation. */
  private static final class Compiled extends ClassLoader {

    private final Map<String, byte[]> classes;

    Compiled(Map<String, byte[]> classes) {
      super(KotlinClassesTest.class.getClassLoader());
      this.classes = classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private static Class<?> line(boolean hasNames) throws ClassNotFoundException {
    byte[] marker = ClassFile.of().build(MARKER, each -> each.withFlags(ACC_PUBLIC | ACC_FINAL));
    byte[] line =
        ClassFile.of()
            .build(
                LINE,
                each -> {
                  each.withFlags(ACC_PUBLIC | ACC_FINAL);
                  each.withField("item", CD_String, ACC_PRIVATE | ACC_FINAL);
                  each.withField("count", CD_int, ACC_PRIVATE | ACC_FINAL);
                  each.withMethod(
                      INIT_NAME,
                      MethodTypeDesc.of(CD_void, CD_String, CD_int),
                      ACC_PUBLIC,
                      method -> {
                        if (hasNames) {
                          method.with(
                              MethodParametersAttribute.of(
                                  MethodParameterInfo.ofParameter(Optional.of("item"), 0),
                                  MethodParameterInfo.ofParameter(Optional.of("count"), 0)));
                        }
                        method.withCode(
                            code ->
                                code.aload(0)
                                    .invokespecial(CD_Object, INIT_NAME, MethodTypeDesc.of(CD_void))
                                    .aload(0)
                                    .aload(1)
                                    .putfield(LINE, "item", CD_String)
                                    .aload(0)
                                    .iload(2)
                                    .putfield(LINE, "count", CD_int)
                                    .return_());
                      });
                  each.withMethodBody(
                      INIT_NAME,
                      MethodTypeDesc.of(CD_void, CD_String, CD_int, CD_int, MARKER),
                      ACC_PUBLIC | ACC_SYNTHETIC,
                      code ->
                          code.aload(0)
                              .aload(1)
                              .iload(2)
                              .invokespecial(
                                  LINE, INIT_NAME, MethodTypeDesc.of(CD_void, CD_String, CD_int))
                              .return_());
                  each.withMethodBody(
                      "getCount",
                      MethodTypeDesc.of(CD_int),
                      ACC_PUBLIC | ACC_FINAL,
                      code -> code.aload(0).getfield(LINE, "count", CD_int).ireturn());
                });
    return new Compiled(
            Map.of(
                "example.Line", line, MARKER.packageName() + ".DefaultConstructorMarker", marker))
        .loadClass("example.Line");
  }

  @Test
  void dataClassWithNamesOfParametersIsAValue() throws Exception {
    Class<?> type = line(/* hasNames= */ true);
    Object line = type.getConstructor(String.class, int.class).newInstance("nut", 3);

    byte[] stored = CLONE.encodeReadable(line);
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("item", "nut");
    properties.put("count", 3L);
    assertThat(CLONE.decode(stored)).isEqualTo(new JsObject(properties));

    Object read = CLONE.decode(stored, type);
    assertThat(read).isInstanceOf(type);
    assertThat(type.getMethod("getCount").invoke(read)).isEqualTo(3);
    assertThat(CLONE.copy(line)).as("nothing in it can change").isSameAs(line);
  }

  @Test
  void dataClassWithoutNamesIsRefusedWithTheOptionOfTheCompiler() throws Exception {
    Class<?> type = line(/* hasNames= */ false);
    Object line = type.getConstructor(String.class, int.class).newInstance("nut", 3);

    assertThatThrownBy(() -> CLONE.encode(line))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("the parameters of its constructor have no names")
        .hasMessageContaining("in Kotlin -java-parameters");
  }
}
