# vecruntime_layer(NAME base SOURCES a.cc b.cc TESTS a_test.cc DEPS io LIBRARIES fmt::fmt)
# One folder of src/vecruntime = one static library target vecruntime_NAME. DEPS are other layers (tools/layers.toml says which are
# allowed). TESTS make one program vecruntime_NAME_test, registered with ctest.
option(VECRUNTIME_PRECOMPILED_HEADERS "Parse the heavy headers once" OFF)

# vecruntime_hot_loops(a.cc b.cc): sources of the current layer whose loops over values are worth the compiler's dearer vectorization.
function(vecruntime_hot_loops)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endfunction()

# All layers share the precompiled header of the lowest one.
function(vecruntime_precompile LIBRARY)
  if(NOT VECRUNTIME_PRECOMPILED_HEADERS)
    return()
  endif()
  if("${LIBRARY}" STREQUAL vecruntime_base)
    target_precompile_headers(${LIBRARY} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
  else()
    target_precompile_headers(${LIBRARY} REUSE_FROM vecruntime_base)
  endif()
endfunction()

function(vecruntime_layer)
  cmake_parse_arguments(L "" "NAME" "SOURCES;TESTS;DEPS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  add_library(vecruntime_${L_NAME} STATIC ${L_SOURCES})
  target_include_directories(vecruntime_${L_NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  list(TRANSFORM L_DEPS PREPEND vecruntime_)
  target_link_libraries(vecruntime_${L_NAME} PUBLIC ${L_DEPS} vecruntime_arrow ${L_LIBRARIES})
  vecruntime_precompile(vecruntime_${L_NAME})
  if(VECRUNTIME_TESTS AND L_TESTS)
    add_executable(vecruntime_${L_NAME}_test ${L_TESTS})
    target_link_libraries(vecruntime_${L_NAME}_test PRIVATE vecruntime_${L_NAME} ${L_TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
    target_compile_definitions(vecruntime_${L_NAME}_test PRIVATE VECRUNTIME_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME ${L_NAME} COMMAND vecruntime_${L_NAME}_test)
  endif()
endfunction()
