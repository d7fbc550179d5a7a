# libnearmutants.so: nbu, smem and rtt with faults, for harness/machines/mpu/near to load in the place of libnearrtl.so.
set(dir ${CMAKE_BINARY_DIR}/mutants)
file(GLOB_RECURSE all_sv CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/*.sv ${CMAKE_SOURCE_DIR}/rtl/*.svh
     ${CMAKE_SOURCE_DIR}/rtl/*.vlt)
add_custom_command(
  OUTPUT ${dir}/nbu/Vnbu__ALL.a ${dir}/nbu/Vnbu.h ${dir}/smem/Vsmem__ALL.a ${dir}/smem/Vsmem.h
         ${dir}/rtt/Vrtt__ALL.a ${dir}/rtt/Vrtt.h
  COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/plant.sh ${dir}
  DEPENDS ${all_sv} ${CMAKE_CURRENT_LIST_DIR}/plant.sh
  COMMENT "Planting faults into the Verilog")
add_custom_target(plant DEPENDS ${dir}/rtt/Vrtt__ALL.a)
add_library(nearmutants SHARED EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/rtl/near.map)
foreach(block nbu smem rtt)
  add_library(mutant_${block} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/mutant_shim.cpp)
  add_dependencies(mutant_${block} plant)
  target_compile_definitions(mutant_${block} PRIVATE RTL_BLOCK=${block} $<$<STREQUAL:${block},nbu>:RTL_PARTS="csim/mpu/rtl_parts.h">)
  target_compile_options(mutant_${block} PRIVATE -Wno-conversion)
  target_include_directories(mutant_${block} SYSTEM PRIVATE ${dir}/${block})
  target_include_directories(mutant_${block} PRIVATE ${PORTS})
  target_link_libraries(mutant_${block} PRIVATE verilated)
  target_sources(nearmutants PRIVATE $<TARGET_OBJECTS:mutant_${block}>)
  target_link_libraries(nearmutants PRIVATE ${dir}/${block}/V${block}__ALL.a)
endforeach()
add_dependencies(nearmutants plant)
target_link_libraries(nearmutants PRIVATE verilated)
set_target_properties(nearmutants PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_link_options(nearmutants PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/rtl/near.map -Wl,--no-undefined)
