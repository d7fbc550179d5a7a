# find_package(nearbank): docs/install.md.
#
#   nearbank::driver     C: a driver of the card, over a transport of yours
#   nearbank::machine    C: a machine for a card
#   nearbank::card       C++17: the card as a SystemC module; brings machine and driver
#   nearbank::die_pins   C++17: the die slice as a SystemC module
#   nearbank::spmv       C: SpaceA, spmv.h
#
# The components have these names without nearbank::. Without SystemC or Verilator where this was built, it lacks card
# or die_pins.
get_filename_component(nearbank_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

function(nearbank_library name kind file)
  if(TARGET nearbank::${name} OR NOT EXISTS ${nearbank_prefix}/lib/${file})
    return()
  endif()
  add_library(nearbank::${name} ${kind} IMPORTED)
  set_target_properties(nearbank::${name} PROPERTIES IMPORTED_LOCATION ${nearbank_prefix}/lib/${file}
                        INTERFACE_INCLUDE_DIRECTORIES ${nearbank_prefix}/include/nearbank)
  target_link_libraries(nearbank::${name} INTERFACE ${ARGN})
endfunction()

find_path(nearbank_SYSTEMC_INCLUDE systemc HINTS $ENV{SYSTEMC_HOME}/include)
find_library(nearbank_SYSTEMC_LIBRARY systemc HINTS $ENV{SYSTEMC_HOME}/lib $ENV{SYSTEMC_HOME}/lib-linux64)
nearbank_library(driver STATIC libnearbank-driver.a)
nearbank_library(machine SHARED libnearbank.so)
nearbank_library(spmv SHARED libnearbank-spmv.so)
if(nearbank_SYSTEMC_INCLUDE AND nearbank_SYSTEMC_LIBRARY)
  nearbank_library(card STATIC libnearbank-card.a nearbank::machine nearbank::driver ${nearbank_SYSTEMC_LIBRARY})
  nearbank_library(die_pins SHARED libnearbank-pins.so ${nearbank_SYSTEMC_LIBRARY})
  foreach(name card die_pins)
    if(TARGET nearbank::${name})
      # Debian's SystemC links with this standard only
      target_compile_features(nearbank::${name} INTERFACE cxx_std_17)
      target_include_directories(nearbank::${name} SYSTEM INTERFACE ${nearbank_SYSTEMC_INCLUDE})
    endif()
  endforeach()
endif()

foreach(name ${nearbank_FIND_COMPONENTS})
  if(TARGET nearbank::${name})
    set(nearbank_${name}_FOUND TRUE)
  elseif(nearbank_FIND_REQUIRED_${name})
    set(nearbank_FOUND FALSE)
    string(APPEND nearbank_NOT_FOUND_MESSAGE "nearbank::${name} is missing")
    if(NOT nearbank_SYSTEMC_LIBRARY AND name MATCHES "^(card|die_pins)$")
      string(APPEND nearbank_NOT_FOUND_MESSAGE ": SystemC cannot be found (Debian: libsystemc-dev). ")
    else()
      string(APPEND nearbank_NOT_FOUND_MESSAGE
             ": it was not built before the installation; build the target sdk, and install again. ")
    endif()
  endif()
endforeach()
